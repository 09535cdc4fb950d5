/**
 * The statements of a store that this process has under way. It stops itself only between them: one that is stopped
 * within a statement may hold a lock, and then nothing else proceeds either.
 */
export class Statements {
	readonly #underWay = new Set<Promise<unknown>>();
	#stop: Promise<void> | undefined;

	/** Makes each call of a store such a statement. */
	watch<Store extends object>(store: Store): Store {
		return new Proxy(store, {
			get: (target, name) => {
				const member: unknown = Reflect.get(target, name);
				if (typeof member !== "function") return member;
				return (...given: unknown[]) => this.#run(() => Reflect.apply(member, target, given));
			},
		});
	}

	/** Stops the process as soon as no statement is under way; resolves when it is continued. */
	async stop(announce: () => void): Promise<void> {
		while (this.#stop !== undefined) await this.#stop;
		this.#stop = this.#stopWhenIdle(announce);
		await this.#stop;
	}

	async #stopWhenIdle(announce: () => void): Promise<void> {
		await Promise.allSettled(this.#underWay);
		announce();
		process.kill(process.pid, "SIGSTOP");
		this.#stop = undefined;
	}

	async #run<Result>(call: () => Promise<Result>): Promise<Result> {
		while (this.#stop !== undefined) await this.#stop;
		const statement = call();
		this.#underWay.add(statement);
		try {
			return await statement;
		} finally {
			this.#underWay.delete(statement);
		}
	}
}
