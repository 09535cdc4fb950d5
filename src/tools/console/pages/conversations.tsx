import "../theme.css";
import "../parts/parts.css";
import "../parts/code.css";
import "../parts/virtual/virtual-list.css";
import "../conversations/styles/page.css";
import "../conversations/styles/controls.css";
import "../conversations/styles/timeline.css";
import { render } from "preact";
import { ConversationsApp } from "../conversations/app.tsx";
import { Shell } from "../shell.tsx";

const root = document.getElementById("app");
if (root !== null) {
	render(
		<Shell current="/">
			<ConversationsApp />
		</Shell>,
		root,
	);
}
