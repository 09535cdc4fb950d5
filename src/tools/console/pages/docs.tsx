import "../api/api.css";
import { ApiConsole } from "../api/api-console.tsx";
import { showPage } from "../shell.tsx";

showPage("/docs", <ApiConsole />);
