package coterie;

import java.util.Arrays;

/** Clusters and sums of a block of rows, column by column: loops along the rows are the ones that the JVM turns into vectors. */
final class Block {
  private final Functions.Model model;
  private final int rows;
  private final int[] labels;
  private final double[] costs, least, squares, part, coarse, fine;
  private final double[][] shifts;

  Block(Functions.Model model, int rows) {
    this.model = model;
    this.rows = rows;
    labels = new int[rows];
    costs = new double[rows];
    least = new double[rows];
    squares = new double[rows];
    part = new double[rows];
    coarse = new double[rows];
    fine = new double[rows];
    shifts = new double[model.per == 0 ? 0 : model.d][rows];
  }

  /** Gives the first `n` rows their clusters, and adds them to the counts and sums. */
  void add(double[][] x, int n, long[] counts, double[] sums) {
    assign(x, n);
    for (int i = 0; i < n; i++) counts[labels[i]]++;
    final Functions.Model m = model;
    int term = 0;
    for (int j = 0; j < m.d; j++) addTerm(sums, term++, x[j], n, m.sumGrids, 4 * j);
    for (int j = 0; j < shifts.length; j++) {
      for (int i = 0; i < n; i++) shifts[j][i] = x[j][i] - m.centres[labels[i] * m.d + j];
    }
    for (int e = 0, g = 0; e < shifts.length; e++) {
      for (int j = m.moments == 1 ? e : 0; j <= e; j++, g += 4) {
        product(part, shifts[e], shifts[j]);
        addTerm(sums, term++, part, n, m.momentGrids, g);
      }
    }
    addTerm(sums, term, costs, n, m.costGrid, 0);
  }

  private void assign(double[][] x, int n) {
    final double[] least = this.least, squares = this.squares, costs = this.costs;
    final int[] labels = this.labels;
    Arrays.fill(least, Double.POSITIVE_INFINITY);
    for (int c = 0; c < model.k; c++) {
      final double bias = model.bias[c];
      square(x, c);
      for (int i = 0; i < n; i++) {
        double score = squares[i] + bias;
        if (score < least[i]) {
          least[i] = score;
          labels[i] = c;
          costs[i] = squares[i];
        }
      }
    }
  }

  private void square(double[][] x, int c) {
    final int d = model.d, at = c * d, g = model.several ? c : 0;
    final double[] o = model.centres, maps = model.maps;
    Arrays.fill(squares, 0);
    if (model.metric == 2) {
      for (int e = 0; e < d; e++) {
        Arrays.fill(part, 0);
        for (int j = 0; j < d; j++) addShift(part, x[j], o[at + j], maps[(g * d + e) * d + j]);
        addSquare(squares, part);
      }
    } else if (model.metric == 1) {
      for (int j = 0; j < d; j++) addWeighted(squares, x[j], o[at + j], maps[g * d + j]);
    } else {
      int j = 0;
      for (; j + 4 <= d; j += 4) {
        addFour(squares, x[j], x[j + 1], x[j + 2], x[j + 3], o[at + j], o[at + j + 1], o[at + j + 2], o[at + j + 3]);
      }
      for (; j < d; j++) addWeighted(squares, x[j], o[at + j], 1);
    }
  }

  /** Four columns at once, in order: the sums are loaded and stored once for them. */
  private static void addFour(
      double[] sums, double[] a, double[] b, double[] c, double[] d, double oa, double ob, double oc, double od) {
    for (int i = 0; i < sums.length; i++) {
      double s = a[i] - oa, t = b[i] - ob, u = c[i] - oc, v = d[i] - od;
      sums[i] = sums[i] + s * s + t * t + u * u + v * v;
    }
  }

  private static void addWeighted(double[] sums, double[] x, double centre, double weight) {
    for (int i = 0; i < sums.length; i++) {
      double t = x[i] - centre;
      sums[i] += t * t * weight;
    }
  }

  private static void addShift(double[] sums, double[] x, double centre, double weight) {
    for (int i = 0; i < sums.length; i++) sums[i] += weight * (x[i] - centre);
  }

  private static void addSquare(double[] sums, double[] x) {
    for (int i = 0; i < sums.length; i++) sums[i] += x[i] * x[i];
  }

  private static void product(double[] into, double[] a, double[] b) {
    for (int i = 0; i < into.length; i++) into[i] = a[i] * b[i];
  }

  /** Adds a term of each row to the sums of its cluster: k coarse ones, then k fine ones. */
  private void addTerm(double[] sums, int term, double[] x, int n, double[] grid, int g) {
    final int k = model.k, from = 2 * term * k;
    split(x, coarse, fine, grid[g], grid[g + 1]);
    for (int i = 0; i < n; i++) {
      int at = from + labels[i];
      sums[at] += coarse[i];
      sums[at + k] += fine[i];
    }
  }

  /** Splits terms into coarse and fine units, as fixed-sums.ts does. */
  private static void split(double[] x, double[] coarse, double[] fine, double coarseRound, double fineRound) {
    for (int i = 0; i < coarse.length; i++) {
      double most = x[i] + coarseRound - coarseRound;
      coarse[i] = most;
      fine[i] = x[i] - most + fineRound - fineRound;
    }
  }
}
