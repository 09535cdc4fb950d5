import "../theme.css";
import "../parts/parts.css";
import "../parts/fields.css";
import "../parts/code.css";
import "../api/api.css";
import "../api/operation.css";
import "../api/call.css";
import { render } from "preact";
import { ApiConsole } from "../api/view/api-console.tsx";
import { Shell } from "../shell.tsx";

const root = document.getElementById("app");
if (root !== null) {
	render(
		<Shell current="/docs">
			<ApiConsole />
		</Shell>,
		root,
	);
}
