import clus.Clus;
import clus.algo.ClusInductionAlgorithm;
import clus.algo.tdidt.ClusDecisionTree;
import clus.algo.tdidt.ClusNode;
import clus.data.rows.DataTuple;
import clus.data.rows.RowData;
import clus.data.type.ClusSchema;
import clus.ext.ilevelc.ILevelCInduce;
import clus.jeans.util.cmdline.CMDLineArgs;
import clus.main.ClusRun;
import clus.main.Settings;
import clus.model.ClusModel;
import clus.util.ClusException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.Date;

/**
 * ClusILC of the Java system Clus, timed around its induction alone: reading, closure and reports are off the clock.
 *
 * As distributed, Clus takes k from the classes only when it draws the constraints itself, and 2 when they come from a file; k is
 * set here. What it prints goes nowhere, so that printing costs it little.
 *
 * Arguments: the settings file, k, how many inductions. Prints one line of JSON with the fastest.
 */
public class ClusIlc {
  public static void main(String[] args) throws Exception {
    PrintStream out = System.out;
    int k = Integer.parseInt(args[1]);
    int rounds = Integer.parseInt(args[2]);
    System.setOut(new PrintStream(OutputStream.nullOutputStream()));
    Clus clus = new Clus();
    Settings settings = clus.getSettings();
    CMDLineArgs line = new CMDLineArgs(clus);
    line.process(new String[] {args[0]});
    settings.setDate(new Date());
    settings.setAppName(line.getMainArg(0));
    clus.initSettings(line);
    ClusDecisionTree kind =
        new ClusDecisionTree(clus) {
          @Override
          public ClusInductionAlgorithm createInduce(ClusSchema schema, Settings given, CMDLineArgs cargs)
              throws ClusException, IOException {
            return new Timed(schema, given, k, rounds, out);
          }
        };
    clus.initialize(line, kind);
    clus.singleRun(kind);
  }

  static class Timed extends ILevelCInduce {
    private final int rounds;
    private final PrintStream out;
    private double milliseconds = Double.POSITIVE_INFINITY;

    Timed(ClusSchema schema, Settings settings, int k, int rounds, PrintStream out) throws ClusException, IOException {
      super(schema, settings);
      m_MaxNbClasses = k;
      this.rounds = rounds;
      this.out = out;
    }

    @Override
    public void iLevelCInduce(ClusNode root) throws ClusException {
      long start = System.nanoTime();
      super.iLevelCInduce(root);
      milliseconds = Math.min(milliseconds, (System.nanoTime() - start) / 1e6);
      throw new Done(root);
    }

    /** This build of Clus fails when it tidies the finished tree, so each induction is left by an exception before that. */
    @Override
    public ClusModel induceSingleUnpruned(ClusRun run) throws ClusException, IOException {
      DataTuple[] rows = ((RowData) run.getTrainingSet()).getData();
      DataTuple[] inOrder = rows.clone();
      ClusNode root = null;
      for (int round = 0; round < rounds; round++) {
        // An induction sorts the rows in place, and constraints go by place.
        System.arraycopy(inOrder, 0, rows, 0, rows.length);
        try {
          super.induceSingleUnpruned(run);
        } catch (Done done) {
          root = done.root;
        }
      }
      int[] labels = assignAllInstances(root);
      out.printf(
          "{\"milliseconds\": %.3f, \"leaves\": %d, \"h\": %.12f, \"violated\": %d, \"constraints\": %d, \"labels\": %s}%n",
          milliseconds,
          root.getNbLeaves(),
          m_BestHeur,
          countViolatedConstaints(labels),
          m_Constraints.size(),
          Arrays.toString(labels));
      out.flush();
      System.exit(0);
      return root;
    }
  }

  static class Done extends RuntimeException {
    final transient ClusNode root;

    Done(ClusNode root) {
      this.root = root;
    }
  }
}
