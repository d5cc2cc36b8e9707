package coterie;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Base64;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.connector.catalog.FunctionCatalog;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.functions.AggregateFunction;
import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.types.ArrayType;
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

    /** A cell of the columns of a row, or of the one array that it is, scaled. */
    double read(SpecializedGetters cells, int j) {
      if (cells.isNullAt(j)) throw new IllegalArgumentException("a cell is missing in column " + j);
      double value = cells.getDouble(j);
      return scaled ? (value - offset[j]) / factor[j] : value;
    }

    /** The cluster of least ‖x - c‖² and bias; the lower one wins ties. */
    int nearest(double[] x) {
      int best = 0;
      double least = Double.POSITIVE_INFINITY;
      for (int c = 0; c < k; c++) {
        double score = square(x, c) + bias[c];
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
    private boolean isArray;

    Named(Model model) {
      this.model = model;
    }

    /** A row is d columns, or one array of d numbers. */
    @Override
    public BoundFunction bind(StructType type) {
      isArray = type.size() == 1 && type.apply(0).dataType() instanceof ArrayType;
      if (!isArray && type.size() != model.d) {
        throw new UnsupportedOperationException(model.d + " columns are needed, not " + type.size());
      }
      return this;
    }

    SpecializedGetters cellsOf(InternalRow row) {
      return isArray ? row.getArray(0) : row;
    }

    @Override
    public String description() {
      return name();
    }

    @Override
    public DataType[] inputTypes() {
      if (isArray) return new DataType[] {DataTypes.createArrayType(DataTypes.DoubleType)};
      DataType[] types = new DataType[model.d];
      Arrays.fill(types, DataTypes.DoubleType);
      return types;
    }

    @Override
    public boolean isResultNullable() {
      return false;
    }
  }

  /** The cluster of a row. */
  static final class Label extends Named implements ScalarFunction<Integer> {
    private transient double[] x;

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
      if (x == null) x = new double[model.d];
      final SpecializedGetters cells = cellsOf(row);
      for (int j = 0; j < model.d; j++) x[j] = model.read(cells, j);
      return model.nearest(x);
    }
  }

  /**
   * Counts, sums, second moments and costs of each cluster. The state is of classes of the JDK, so that executors read it back without
   * this jar: whole units of the rows so far; sums of the last blocks, exact in doubles; the columns of an open block; and how many rows
   * the last two have.
   */
  static final class Pass extends Named implements AggregateFunction<Object[], ArrayData> {
    /** Sums of so many rows are exact in doubles: BLOCK_ROWS of fixed-sums.ts. */
    private static final int EXACT_ROWS = 2048;
    private final int rows, terms;
    private transient Block block;

    Pass(Model model) {
      super(model);
      terms = model.d + model.per + 1;
      // As many rows as stay near the processor.
      rows = Math.max(16, Math.min(256, 4096 / model.d));
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
    public Object[] newAggregationState() {
      final int sums = 2 * terms * model.k;
      return new Object[] {new long[model.k + sums], new double[sums], new double[model.d][rows], new int[2]};
    }

    @Override
    public Object[] update(Object[] state, InternalRow row) {
      final Model m = model;
      final double[][] x = (double[][]) state[2];
      final int[] filled = (int[]) state[3];
      final int at = filled[1]++;
      final SpecializedGetters cells = cellsOf(row);
      for (int j = 0; j < m.d; j++) x[j][at] = m.read(cells, j);
      if (at + 1 == rows) closeBlock(state);
      return state;
    }

    private void closeBlock(Object[] state) {
      final int[] filled = (int[]) state[3];
      if (block == null) block = new Block(model, rows);
      block.add((double[][]) state[2], filled[1], (long[]) state[0], (double[]) state[1]);
      filled[0] += filled[1];
      filled[1] = 0;
      if (filled[0] + rows > EXACT_ROWS) closeSums(state);
    }

    /** Moves the sums of the last blocks to the whole units: counts, then coarse and fine of each sum, cluster by cluster. */
    private void closeSums(Object[] state) {
      final Model m = model;
      int at = moveSums(state, m.k, 0, m.d, m.sumGrids);
      at = moveSums(state, at, m.d, m.per, m.momentGrids);
      moveSums(state, at, m.d + m.per, 1, m.costGrid);
      Arrays.fill((double[]) state[1], 0);
      ((int[]) state[3])[0] = 0;
    }

    private int moveSums(Object[] state, int at, int firstTerm, int count, double[] grids) {
      final int k = model.k;
      final long[] units = (long[]) state[0];
      final double[] sums = (double[]) state[1];
      for (int c = 0; c < k; c++) {
        for (int t = 0; t < count; t++, at += 2) {
          int from = 2 * (firstTerm + t) * k + c;
          units[at] += (long) (sums[from] * grids[4 * t + 2]);
          units[at + 1] += (long) (sums[from + k] * grids[4 * t + 3]);
        }
      }
      return at;
    }

    /** The whole units of all rows of a state. */
    private long[] unitsOf(Object[] state) {
      closeBlock(state);
      closeSums(state);
      return (long[]) state[0];
    }

    @Override
    public Object[] merge(Object[] left, Object[] right) {
      final long[] into = unitsOf(left), from = unitsOf(right);
      for (int i = 0; i < into.length; i++) into[i] += from[i];
      return left;
    }

    @Override
    public ArrayData produceResult(Object[] state) {
      return UnsafeArrayData.fromPrimitiveArray(unitsOf(state));
    }
  }
}
