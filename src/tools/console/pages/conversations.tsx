import "../theme.css";
import "../parts/virtual/virtual-list.css";
import "../conversations/styles/layout.css";
import "../conversations/styles/chrome.css";
import "../conversations/styles/parts.css";
import "../conversations/styles/surfaces.css";
import "../conversations/styles/list.css";
import "../conversations/styles/welcome.css";
import "../conversations/styles/thread.css";
import "../conversations/styles/bubble.css";
import "../conversations/styles/reactions.css";
import "../conversations/styles/attachments.css";
import "../conversations/styles/composer.css";
import "../conversations/styles/panel.css";
import "../conversations/styles/webhooks.css";
import "../conversations/styles/delivery.css";
import "../conversations/styles/attempt.css";
import "../conversations/styles/requests.css";
import "../conversations/styles/faults.css";
import "../conversations/styles/facts.css";
import "../conversations/styles/motion.css";
import "../conversations/styles/narrow.css";
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
