import "../theme.css";
import "../parts/parts.css";
import "../parts/fields.css";
import "../parts/code.css";
import "../explain/explain.css";
import "../explain/result.css";
import { render } from "preact";
import { ExplainPage } from "../explain/view/explain-page.tsx";
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
