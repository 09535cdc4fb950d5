/** Writes llms.txt, which the package carries beside its guides. */
import { writeFileSync } from "node:fs";
import { createLlmsText } from "./docs/llms.ts";

writeFileSync("llms.txt", createLlmsText());
