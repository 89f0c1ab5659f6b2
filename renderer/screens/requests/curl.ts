import { CurlImportError, splitShellWords } from './shell-words.ts'

export type CurlRequest = {
  readonly method: string
  readonly url: URL
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string | undefined
  /** Shell variables that stay unexpanded in the command. */
  readonly variables: readonly string[]
  /** Messages about the parts that were not imported. */
  readonly notes: readonly string[]
}

const describeUnreadFile = (what: string) =>
  `The window reads no files. Put the content of ${what} into the command instead.`

const listOptions = (...lines: readonly string[]) => new Set(lines.flatMap((line) => line.split(' ')))

/** Options that do not change the request. */
const ignoredOptions = listOptions(
  '-s --silent -S --show-error -i --include -v --verbose -k --insecure -L --location -f --fail -N --no-buffer',
  '-# --progress-bar --no-progress-meter --fail-with-body --compressed -g --globoff --http1.1 --http2 -0 --http1.0',
  '-4 --ipv4 -6 --ipv6 -q --disable --path-as-is --no-keepalive --tcp-nodelay -j --junk-session-cookies',
)
/** Options with a value that do not change the request. */
const ignoredValueOptions = listOptions(
  '-o --output -w --write-out -m --max-time --connect-timeout --retry --retry-delay --retry-max-time -A --user-agent',
  '-e --referer -c --cookie-jar -D --dump-header --stderr --trace --trace-ascii --limit-rate --keepalive-time',
  '--cacert --resolve --noproxy --max-redirs --interface',
)
const dataOptions = listOptions('-d --data --data-ascii --data-binary --data-raw --json --data-urlencode')
const otherOptions = listOptions('-X --request -H --header -b --cookie --url --url-query')
const rejectedOptions: Readonly<Record<string, string>> = {
  '-u': 'The API takes a key in the SVC-API-KEY header, not a user and password. Remove -u.',
  '--user': 'The API takes a key in the SVC-API-KEY header, not a user and password. Remove --user.',
  '-F': 'A form with files (-F) is an upload. Upload documents in Documents.',
  '--form': 'A form with files (--form) is an upload. Upload documents in Documents.',
  '-T': describeUnreadFile('the file of -T'),
  '--upload-file': describeUnreadFile('the file of --upload-file'),
  '-K': describeUnreadFile('the file of -K'),
  '--config': describeUnreadFile('the file of --config'),
  '-I': 'A HEAD request (-I) has no response body to show. Send it as GET.',
  '--head': 'A HEAD request (--head) has no response body to show. Send it as GET.',
  '-x': 'The request goes directly to this listener. Remove the proxy (-x).',
  '--proxy': 'The request goes directly to this listener. Remove the proxy (--proxy).',
  '--next': 'The command has more than one request (--next). Import one at a time.',
  '-:': 'The command has more than one request (-:). Import one at a time.',
}
/**
 * Parses a curl command. A shell variable at the start of the URL is replaced with `base`. Throws
 * `CurlImportError` with the reason if the command cannot be imported.
 */
export function parseCurl(line: string, base: string): CurlRequest {
  if (/\^\r?\n|(?:^|\s)\^"/.test(line)) {
    throw new CurlImportError(
      'The command is quoted for the Windows command prompt. Copy it for bash instead.',
    )
  }
  if (/\s`\r?\n/.test(line)) {
    throw new CurlImportError('The command has PowerShell line breaks. Copy it for bash instead.')
  }
  const { words, variables, rest } = splitShellWords(line.replace(/^\s*[$>%] (?=\S)/, ''))
  const first = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word))
  if (!/(?:^|[\\/])curl(?:\.exe)?$/.test(words[first] ?? ''))
    throw new CurlImportError('This is not a curl command: it does not start with curl.')
  const args = new CurlArguments()
  args.readWords(words.slice(first + 1))
  if (rest !== '') args.notes.push('Only the first command was imported; the rest was left out.')
  return { ...args.toRequest(base), variables: [...new Set(variables)] }
}

class CurlArguments {
  readonly notes: string[] = []
  #method: string | null = null
  readonly #urls: string[] = []
  readonly #headers: [string, string][] = []
  #body: string | undefined
  readonly #query: string[] = []
  #isGet = false
  #isJson = false

  readWords(args: readonly string[]): void {
    let onlyUrls = false
    for (let at = 0; at < args.length; at++) {
      const word = args[at] ?? ''
      if (onlyUrls || !word.startsWith('-') || word === '-') this.#urls.push(word)
      else if (word === '--') onlyUrls = true
      else if (word.startsWith('--')) at += this.#applyOption(word, args[at + 1])
      else at += this.#applyShortOptions(word.slice(1), args[at + 1])
    }
  }

  /**
   * Applies combined short options, such as `-sSXPOST`. Returns 1 if the last one takes the next word as its
   * value, 0 otherwise.
   */
  #applyShortOptions(letters: string, next: string | undefined): number {
    for (let at = 0; at < letters.length; at++) {
      const name = `-${letters[at]}`
      const rest = letters.slice(at + 1)
      if (takesValue(name))
        return rest === '' ? this.#applyOption(name, next) : this.#applyOption(name, rest) - 1
      this.#applyOption(name, undefined)
    }
    return 0
  }

  /** Returns 1 if the option takes a value, 0 otherwise. */
  #applyOption(name: string, value: string | undefined): number {
    const reason = rejectedOptions[name]
    if (reason !== undefined) throw new CurlImportError(reason)
    if (ignoredOptions.has(name)) return 0
    if (name === '-G' || name === '--get') {
      this.#isGet = true
      return 0
    }
    if (!takesValue(name))
      throw new CurlImportError(`Coffer does not support curl’s option ${name}. Remove it.`)
    if (value === undefined) throw new CurlImportError(`The value of ${name} is missing.`)
    if (dataOptions.has(name)) this.#addData(name, value)
    else if (name === '-X' || name === '--request') this.#method = value.toUpperCase()
    else if (name === '-H' || name === '--header') this.#addHeader(value)
    else if (name === '--url') this.#urls.push(value)
    else if (name === '--url-query') this.#query.push(encodeFormValue(value))
    else if (name === '-b' || name === '--cookie')
      this.notes.push('Cookies were left out, because the API does not use them.')
    return 1
  }

  #addData(name: string, value: string): void {
    if (name !== '--data-raw' && name !== '--data-urlencode' && value.startsWith('@'))
      throw new CurlImportError(describeUnreadFile(value.slice(1) || 'the file'))
    const part = name === '--data-urlencode' ? encodeFormValue(value) : value
    if (name === '--json') this.#isJson = true
    const between = name === '--json' ? '' : '&'
    this.#body = this.#body === undefined ? part : this.#body + between + part
  }

  #addHeader(text: string): void {
    if (text.startsWith('@')) throw new CurlImportError(describeUnreadFile(text.slice(1)))
    const at = text.search(/[:;]/)
    const value = at < 0 ? '' : text.slice(at + 1).trim()
    // As in curl, `Name:` removes a header, and `Name;` sends it empty.
    if (at <= 0 || (value === '' && text[at] === ':')) return
    this.#headers.push([text.slice(0, at).trim().toLowerCase(), value])
  }

  toRequest(base: string): Omit<CurlRequest, 'variables'> {
    const url = this.#readUrl(base)
    const query = [...this.#query, ...(this.#isGet && this.#body !== undefined ? [this.#body] : [])].join('&')
    if (query !== '') url.search = url.search === '' ? `?${query}` : `${url.search}&${query}`
    const body = this.#isGet ? undefined : this.#body
    const headers = [...this.#headers]
    if (this.#isJson && !headers.some(([name]) => name === 'content-type')) {
      headers.push(['content-type', 'application/json'])
    }
    const method = this.#method ?? (body === undefined ? 'GET' : 'POST')
    return { method, url, headers, body, notes: this.notes }
  }

  #readUrl(base: string): URL {
    const [address] = this.#urls
    if (address === undefined) throw new CurlImportError('The command has no URL.')
    if (this.#urls.length > 1) {
      throw new CurlImportError('The command has more than one URL. Import one request at a time.')
    }
    const [variable = ''] = /^\$(?:\w+|\{\w+\})(?=[/?]|$)/.exec(address) ?? []
    if (variable !== '') this.notes.push(`${variable} is assumed to be this listener.`)
    const first = variable === '' ? address : base + address.slice(variable.length)
    const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(first) ? first : `http://${first}`)
    if (!url) throw new CurlImportError('The URL in the command is not valid.')
    return url
  }
}

function takesValue(name: string): boolean {
  return [dataOptions, otherOptions, ignoredValueOptions].some((options) => options.has(name))
}

/** Like curl's `--data-urlencode`, keeps the text before the first `=` and encodes the rest. */
function encodeFormValue(value: string): string {
  const at = value.search(/[=@]/)
  if (at >= 0 && value[at] === '@') throw new CurlImportError(describeUnreadFile(value.slice(at + 1)))
  if (at < 0) return encodeURIComponent(value)
  const name = value.slice(0, at)
  return `${name === '' ? '' : `${name}=`}${encodeURIComponent(value.slice(at + 1))}`
}
