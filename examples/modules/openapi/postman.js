/** Signs each request of a Postman collection: paste it as the script that runs before each request. */
const { HmacSHA256, SHA256 } = require("crypto-js");

/** JSON as the signature wants it: keys in order, no white space. */
const canonical = (value) => {
	if (Array.isArray(value)) return `[${value.map(canonical)}]`;
	if (value === null || typeof value !== "object") return JSON.stringify(value);
	return `{${Object.keys(value)
		.sort()
		.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)}}`;
};
const { method, url, headers, body } = pm.request;
const text = body?.raw ? canonical(JSON.parse(pm.variables.replaceIn(body.raw))) : "";
if (text !== "") body.raw = text;
const timestamp = String(Date.now());
const nonce = pm.variables.replaceIn("{{$guid}}");
const path = pm.variables.replaceIn(`${url.getHost()}${url.getPath()}`).replace(/^\w+:\/\/[^/]+/, "");
const toSign = [method, path, SHA256(text), timestamp, nonce].join("\n");
const signature = HmacSHA256(toSign, pm.variables.get("appSecret"));
headers.upsert({ key: "X-App-Id", value: pm.variables.get("apiKey") });
headers.upsert({ key: "X-Timestamp", value: timestamp });
headers.upsert({ key: "X-Nonce", value: nonce });
headers.upsert({ key: "Authorization", value: `HMAC ${signature}` });
