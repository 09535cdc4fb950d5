import "../explain/explain.css";
import "../explain/explanation.css";
import { ExplainPage } from "../explain/explain-page.tsx";
import { showPage } from "../shell.tsx";

showPage("/explain", <ExplainPage />);
