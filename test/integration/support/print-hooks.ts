/** Arguments of Node with which a process kills itself when it prints a line with this text. */
export function killWhenPrinting(text: string): string[] {
	return whenPrinting(text, 'process.kill(process.pid, "SIGKILL");');
}

/** Arguments of Node with which printing a line with this text throws an error of this name. */
export function failWhenPrinting(text: string, name = "Error"): string[] {
	return whenPrinting(
		text,
		`throw Object.assign(new Error("made to fail"), { name: ${JSON.stringify(name)} });`,
	);
}

function whenPrinting(text: string, statement: string): string[] {
	const module = `const { log } = console;
		console.log = (line) => {
			log(line);
			if (line.includes(${JSON.stringify(text)})) { ${statement} }
		};`;
	return ["--import", `data:text/javascript,${encodeURIComponent(module)}`];
}
