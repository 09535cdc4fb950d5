import "../explain/explain.css";
import "../explain/explanation.css";
import { render } from "preact";
import { ExplainPage } from "../explain/explain-page.tsx";
import { Shell } from "../shell.tsx";

const root = document.getElementById("app");
if (root !== null) {
	render(
		<Shell current="/explain">
			<ExplainPage />
		</Shell>,
		root,
	);
}
