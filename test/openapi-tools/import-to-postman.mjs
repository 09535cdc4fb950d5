/** Prints the collection that Postman makes of the document on standard input. */
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { convertV2 } from "openapi-to-postmanv2";

const input = { type: "string", data: await text(process.stdin) };
const { result, reason, output } = await promisify(convertV2)(input, {
	folderStrategy: "Tags",
	parametersResolution: "Example",
	enableOptionalParameters: false,
});
if (!result) throw new Error(reason);
console.log(JSON.stringify(output[0].data));
