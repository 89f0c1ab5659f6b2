/** A page that the listener serves, with its headers. */
export type HtmlPage = { readonly headers: Readonly<Record<string, string>>; readonly html: string }
