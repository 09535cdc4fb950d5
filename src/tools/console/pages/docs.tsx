import "../api/api.css";
import { render } from "preact";
import { ApiConsole } from "../api/api-console.tsx";
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
