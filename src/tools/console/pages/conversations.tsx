import "../conversations/styles/page.css";
import "../conversations/styles/controls.css";
import "../conversations/styles/timeline.css";
import { ConversationsApp } from "../conversations/app.tsx";
import { showPage } from "../shell.tsx";

showPage("/", <ConversationsApp />);
