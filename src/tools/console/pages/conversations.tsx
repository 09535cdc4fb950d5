import "../theme.css";
import "../parts/parts.css";
import "../parts/code.css";
import "../parts/virtual/virtual-list.css";
import "../conversations/styles/page.css";
import "../conversations/styles/controls.css";
import "../conversations/styles/timeline.css";
import { ConversationsApp } from "../conversations/app.tsx";
import { showPage } from "../shell.tsx";

showPage("/", <ConversationsApp />);
