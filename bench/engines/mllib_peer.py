"""MLlib's k-means through Spark Connect, for bench/engines/spark.mjs.

Reads one request a line from standard input, {"path", "columns", "k", "iterations", "seed"}, and answers each with a line:
the centres, and how many iterations there were. With 0 iterations the centres are the ones that MLlib starts from.
"""

import json
import sys

from pyspark.ml.clustering import KMeans
from pyspark.ml.feature import VectorAssembler
from pyspark.sql import SparkSession

session = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
for line in sys.stdin:
    asked = json.loads(line)
    rows = session.read.parquet(asked["path"])
    vectors = VectorAssembler(inputCols=asked["columns"], outputCol="features").transform(rows).select("features")
    means = KMeans(k=asked["k"], maxIter=asked["iterations"], tol=0.0, initMode="random", seed=asked["seed"])
    model = means.fit(vectors)
    centres = [[float(value) for value in centre] for centre in model.clusterCenters()]
    print(json.dumps({"centres": centres, "iterations": model.summary.numIter if model.hasSummary else None}), flush=True)
session.stop()
