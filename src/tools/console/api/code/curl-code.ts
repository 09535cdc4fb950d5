import type { PreparedRequest } from "../../../../library/client/request.ts";
import { signedPath, toRequestLine } from "../../../../library/signing/dialect.ts";

/** The parts of a request that a script needs. */
type Request = Pick<PreparedRequest, "url" | "body"> & { readonly method: string };

/** Quotes a string as one word of a shell. */
export function quoteForShell(value: string): string {
	return `'${value.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * A script that signs the request with openssl and sends it with curl. It reads the App Secret from the
 * environment, and creates a new nonce and timestamp each time it runs.
 */
export function writeCurlCode(request: Request, appId: string, isSigned: boolean): string {
	const body = request.body === undefined ? "" : new TextDecoder().decode(request.body);
	if (!isSigned) return `${request.body === undefined ? "" : assignBody(body)}${writeCommand(request, [])}`;
	return `${writeHead(request, body)}${writeCommand(request, signedHeaders(appId))}SCRIPT\n`;
}

/** The signing steps of the specification, section 5.1, in a separate bash, so the script works in every shell. */
function writeHead({ method, url }: Request, body: string): string {
	const path = signedPath(toRequestLine(url), undefined, undefined);
	return String.raw`bash <<'SCRIPT'
# Needs openssl and curl, and the App Secret in MESSAGING_GATEWAY_APP_SECRET.
set -euo pipefail

${assignBody(body)}timestamp="$(date +%s)000"
# 16 random bytes, written as a UUID.
nonce="$(openssl rand -hex 16 | sed -E 's/(.{8})(.{4}).(.{3}).(.{3})(.{12})/\1-\2-4\3-8\4-\5/')"

body_hash="$(printf '%s' "$body" | openssl dgst -sha256 | sed 's/.* //')"
# The last newline isn't signed; $(…) removes it.
string_to_sign="$(printf '%s\n' ${method} ${quoteForShell(path)} "$body_hash" "$timestamp" "$nonce")"
# While openssl runs, other users of this machine can read its arguments.
signature="$(printf '%s' "$string_to_sign" |
  openssl dgst -sha256 -hmac "$MESSAGING_GATEWAY_APP_SECRET" | sed 's/.* //')"

`;
}

function assignBody(body: string): string {
	return `body=${quoteForShell(body)}\n`;
}

function signedHeaders(appId: string): string[] {
	return [
		quoteForShell(`X-App-Id: ${appId}`),
		'"X-Timestamp: $timestamp"',
		'"X-Nonce: $nonce"',
		'"Authorization: HMAC $signature"',
	];
}

/**
 * The body goes through a pipe: an argument is limited to 128 KiB, and attachments in base64 are longer.
 * `--globoff` because brackets and braces of the URL are not curl's patterns.
 */
function writeCommand({ method, url, body }: Request, headers: readonly string[]): string {
	const pipe = body === undefined ? "" : `printf '%s' "$body" | `;
	const options = [
		...headers.map((header) => `--header ${header}`),
		...(body === undefined ? [] : ["--header 'Content-Type: application/json'", "--data-binary @-"]),
	];
	const command = `${pipe}curl --silent --show-error --globoff --request ${method} ${quoteForShell(url)}`;
	return `${[command, ...options].join(" \\\n  ")}\n`;
}
