/** The default theme with system fonts, the colours of the studio, and four components of our own. */
import DefaultTheme from "vitepress/theme-without-fonts";
import { defineAsyncComponent, h } from "vue";
import DropTable from "./DropTable.vue";
import TryIt from "./TryIt.vue";
import WaySwitch from "./WaySwitch.vue";
import "./style.css";

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "doc-before": () => h(WaySwitch) }),
  enhanceApp({ app }) {
    app.component("DropTable", DropTable);
    app.component("TryIt", TryIt);
    app.component(
      "MethodFigure",
      defineAsyncComponent(() => import("./MethodFigure.vue")),
    );
  },
};
