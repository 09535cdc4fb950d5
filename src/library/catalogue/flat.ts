/**
 * The same type, except some of its fields. An editor shows its fields in place of its name, so give it one interface:
 * a union would get a name again, and a field of two such types has two comments.
 */
export type Flat<Type, Left extends PropertyKey = never> = Type extends unknown
	? { [Name in keyof Type as Exclude<Name, Left>]: Type[Name] }
	: never;
