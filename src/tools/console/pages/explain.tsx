import "../explain/explain.css";
import { ExplainPage } from "../explain/explain-page.tsx";
import { showPage } from "../shell.tsx";

showPage("/explain", <ExplainPage />);
