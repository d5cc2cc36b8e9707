package coterie;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Base64;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.connector.catalog.FunctionCatalog;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.functions.AggregateFunction;
import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * One pass of Coterie's plans, inside Spark. A session switches it on by itself: the jar goes to the session, then
 * `SET spark.sql.catalog.coterie=coterie.Functions`, then `SELECT coterie.pass_MODEL(x0, …) FROM t`.
 *
 * The model travels in the function's name, so that it is bound once, when the query is planned. Columns are taken in order and
 * nothing is fused: labels and sums have the bits of the plain pass in core (scale/pass.ts).
 */
public final class Functions implements FunctionCatalog {
  private String name;

  @Override
  public void initialize(String name, CaseInsensitiveStringMap options) {
    this.name = name;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Identifier[] listFunctions(String[] namespace) {
    return new Identifier[0];
  }

  @Override
  public UnboundFunction loadFunction(Identifier identifier) {
    String[] parts = identifier.name().split("_", 2);
    Model model = new Model(Base64.getUrlDecoder().decode(parts[1]));
    return parts[0].equals("label") ? new Label(model) : new Pass(model);
  }

  /** The numbers of a model, as spark/model-name.ts writes them. */
  static final class Model implements java.io.Serializable {
    final int d, k, metric, moments, per;
    final boolean several, scaled;
    final double[] centres, maps, bias, offset, factor;
    /** For each sum: coarse and fine rounding number, and one over coarse and fine unit. */
    final double[] sumGrids, momentGrids, costGrid;

    Model(byte[] bytes) {
      ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
      d = in.getInt();
      k = in.getInt();
      metric = in.getInt();
      moments = in.getInt();
      several = in.getInt() == 1;
      scaled = in.getInt() == 1;
      per = moments == 0 ? 0 : moments == 1 ? d : d * (d + 1) / 2;
      centres = take(in, k * d);
      maps = take(in, metric == 0 ? 0 : (several ? k : 1) * (metric == 1 ? d : d * d));
      bias = take(in, k);
      offset = take(in, scaled ? d : 0);
      factor = take(in, scaled ? d : 0);
      sumGrids = take(in, 4 * d);
      momentGrids = take(in, 4 * per);
      costGrid = take(in, 4);
    }

    private static double[] take(ByteBuffer in, int count) {
      double[] values = new double[count];
      for (int i = 0; i < count; i++) values[i] = in.getDouble();
      return values;
    }

    /** The row, scaled. */
    void read(InternalRow row, double[] x) {
      for (int j = 0; j < d; j++) {
        if (row.isNullAt(j)) throw new IllegalArgumentException("a cell is missing in column " + j);
        double value = row.getDouble(j);
        x[j] = scaled ? (value - offset[j]) / factor[j] : value;
      }
    }

    /** ‖x - c‖² for every cluster; the lower cluster wins ties once the bias is added. */
    int nearest(double[] x, double[] costs) {
      int best = 0;
      double least = Double.POSITIVE_INFINITY;
      for (int c = 0; c < k; c++) {
        double cost = square(x, c);
        costs[c] = cost;
        double score = cost + bias[c];
        if (score < least) {
          least = score;
          best = c;
        }
      }
      return best;
    }

    private double square(double[] x, int c) {
      final double[] centres = this.centres, maps = this.maps;
      final int d = this.d, at = c * d, g = several ? c : 0;
      double sum = 0;
      if (metric == 0) {
        for (int j = 0; j < d; j++) {
          double t = x[j] - centres[at + j];
          sum += t * t;
        }
        return sum;
      }
      if (metric == 1) {
        for (int j = 0; j < d; j++) {
          double t = x[j] - centres[at + j];
          sum += t * t * maps[g * d + j];
        }
        return sum;
      }
      for (int e = 0; e < d; e++) {
        double part = 0;
        for (int j = 0; j < d; j++) part += maps[(g * d + e) * d + j] * (x[j] - centres[at + j]);
        sum += part * part;
      }
      return sum;
    }
  }

  /** What both functions say of themselves. */
  abstract static class Named implements UnboundFunction, BoundFunction {
    final Model model;
    transient double[] x, costs;

    Named(Model model) {
      this.model = model;
    }

    @Override
    public BoundFunction bind(StructType type) {
      if (type.size() != model.d) throw new UnsupportedOperationException(model.d + " columns are needed, not " + type.size());
      return this;
    }

    @Override
    public String description() {
      return name();
    }

    @Override
    public DataType[] inputTypes() {
      DataType[] types = new DataType[model.d];
      Arrays.fill(types, DataTypes.DoubleType);
      return types;
    }

    @Override
    public boolean isResultNullable() {
      return false;
    }

    int nearest(InternalRow row) {
      if (x == null) {
        x = new double[model.d];
        costs = new double[model.k];
      }
      model.read(row, x);
      return model.nearest(x, costs);
    }
  }

  /** The cluster of a row. */
  static final class Label extends Named implements ScalarFunction<Integer> {
    Label(Model model) {
      super(model);
    }

    @Override
    public String name() {
      return "coterie_label";
    }

    @Override
    public DataType resultType() {
      return DataTypes.IntegerType;
    }

    @Override
    public Integer produceResult(InternalRow row) {
      return nearest(row);
    }
  }

  /** Counts, sums, second moments and costs of each cluster, in whole units. The state is a class of the JDK: executors read it back without this jar. */
  static final class Pass extends Named implements AggregateFunction<long[], ArrayData> {
    Pass(Model model) {
      super(model);
    }

    @Override
    public String name() {
      return "coterie_pass";
    }

    @Override
    public DataType resultType() {
      return DataTypes.createArrayType(DataTypes.LongType, false);
    }

    @Override
    public long[] newAggregationState() {
      return new long[model.k * (1 + 2 * model.d + 2 * model.per + 2)];
    }

    @Override
    public long[] update(long[] state, InternalRow row) {
      final Model m = model;
      final int d = m.d, k = m.k, per = m.per;
      final int c = nearest(row);
      final double[] x = this.x;
      state[c]++;
      int at = k + 2 * c * d;
      for (int j = 0; j < d; j++, at += 2) add(state, at, x[j], m.sumGrids, 4 * j);
      at = k + 2 * k * d + 2 * c * per;
      if (m.moments == 1) {
        for (int j = 0; j < d; j++, at += 2) {
          double t = x[j] - m.centres[c * d + j];
          add(state, at, t * t, m.momentGrids, 4 * j);
        }
      }
      if (m.moments == 2) {
        for (int i = 0, g = 0; i < d; i++) {
          double t = x[i] - m.centres[c * d + i];
          for (int j = 0; j <= i; j++, at += 2, g += 4) add(state, at, t * (x[j] - m.centres[c * d + j]), m.momentGrids, g);
        }
      }
      add(state, k + 2 * k * d + 2 * k * per + 2 * c, costs[c], m.costGrid, 0);
      return state;
    }

    /** Splits a term into coarse and fine units, as fixed-sums.ts does. */
    private static void add(long[] state, int at, double term, double[] grid, int g) {
      double coarse = term + grid[g] - grid[g];
      double rest = term - coarse;
      double fine = rest + grid[g + 1] - grid[g + 1];
      state[at] += (long) (coarse * grid[g + 2]);
      state[at + 1] += (long) (fine * grid[g + 3]);
    }

    @Override
    public long[] merge(long[] left, long[] right) {
      for (int i = 0; i < left.length; i++) left[i] += right[i];
      return left;
    }

    @Override
    public ArrayData produceResult(long[] state) {
      return UnsafeArrayData.fromPrimitiveArray(state);
    }
  }
}
