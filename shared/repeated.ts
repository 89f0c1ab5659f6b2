/** The values of a query parameter that came more than once, so that a message can say what is wrong with that. */
export class Repeated extends Array<string> {}
