import { NotTaken, shellWords } from './shell-words.ts'

/** What a curl line sends. */
export type CurlRequest = {
  readonly method: string
  readonly url: URL
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string | undefined
  /** Variables of the shell, which stand in the line as they are written. */
  readonly variables: readonly string[]
  /** What was left out of the line, for people. */
  readonly notes: readonly string[]
}

const noFiles = (what: string) =>
  `Coffer reads no files for the window: put what is in ${what} into the line, in place of the @ and the name.`

/** Options that change nothing of the request. */
const quiet = new Set(
  [
    '-s --silent -S --show-error -i --include -v --verbose -k --insecure -L --location -f --fail -N --no-buffer',
    '-# --progress-bar --no-progress-meter --fail-with-body --compressed -g --globoff --http1.1 --http2 -0 --http1.0',
    '-4 --ipv4 -6 --ipv6 -q --disable --path-as-is --no-keepalive --tcp-nodelay -j --junk-session-cookies',
  ].flatMap((line) => line.split(' ')),
)
/** The same with a value. */
const quietWithValue = new Set(
  [
    '-o --output -w --write-out -m --max-time --connect-timeout --retry --retry-delay --retry-max-time -A --user-agent',
    '-e --referer -c --cookie-jar -D --dump-header --stderr --trace --trace-ascii --limit-rate --keepalive-time',
    '--cacert --resolve --noproxy --max-redirs --interface',
  ].flatMap((line) => line.split(' ')),
)
const refused: Readonly<Record<string, string>> = {
  '-u': 'The interface takes a key in the SVC-API-KEY header, no user and password (-u).',
  '--user': 'The interface takes a key in the SVC-API-KEY header, no user and password (--user).',
  '-F': 'A form with files (-F) is an upload. Upload documents in Documents.',
  '--form': 'A form with files (--form) is an upload. Upload documents in Documents.',
  '-T': noFiles('the file of -T'),
  '--upload-file': noFiles('the file of --upload-file'),
  '-K': noFiles('the file of -K'),
  '--config': noFiles('the file of --config'),
  '-I': 'A HEAD request (-I) has no response body to show. Send it as GET.',
  '--head': 'A HEAD request (--head) has no response body to show. Send it as GET.',
  '-x': 'The request goes to this listener directly: leave out the proxy (-x).',
  '--proxy': 'The request goes to this listener directly: leave out the proxy (--proxy).',
  '--next': 'The line has more than one request (--next). Import one at a time.',
  '-:': 'The line has more than one request (-:). Import one at a time.',
}
const data = new Set([
  '-d',
  '--data',
  '--data-ascii',
  '--data-binary',
  '--data-raw',
  '--json',
  '--data-urlencode',
])
const withValue = new Set([
  ...data,
  '-X',
  '--request',
  '-H',
  '--header',
  '-b',
  '--cookie',
  '--url',
  '--url-query',
])

/**
 * Reads a curl line. An address that begins with a variable of the shell is taken to be at `base`. Throws `NotTaken`,
 * saying why the line cannot be imported.
 */
export function parseCurl(line: string, base: string): CurlRequest {
  if (/\^\r?\n|(?:^|\s)\^"/.test(line)) {
    throw new NotTaken('This line is quoted for the Windows command prompt. Copy it for bash instead.')
  }
  if (/\s`\r?\n/.test(line)) {
    throw new NotTaken('This line is continued for PowerShell. Copy it for bash instead.')
  }
  const { words, variables, rest } = shellWords(line.replace(/^\s*[$>%] (?=\S)/, ''))
  const first = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word))
  if (!/(?:^|[\\/])curl(?:\.exe)?$/.test(words[first] ?? ''))
    throw new NotTaken('This is not a curl line: it does not begin with curl.')
  const found = new Found()
  found.read(words.slice(first + 1))
  if (rest !== '') found.notes.push('Only the first command was imported; what follows it was left out.')
  return { ...found.request(base), variables: [...new Set(variables)] }
}

class Found {
  readonly notes: string[] = []
  #method: string | null = null
  readonly #urls: string[] = []
  readonly #headers: [string, string][] = []
  #body: string | undefined
  readonly #query: string[] = []
  #isGet = false
  #isJson = false

  read(words: readonly string[]): void {
    let onlyUrls = false
    for (let at = 0; at < words.length; at++) {
      const word = words[at] ?? ''
      if (onlyUrls || !word.startsWith('-') || word === '-') this.#urls.push(word)
      else if (word === '--') onlyUrls = true
      else if (word.startsWith('--')) at += this.#option(word, words[at + 1])
      else at += this.#short(word.slice(1), words[at + 1])
    }
  }

  /** Short options in one word, such as `-sSXPOST`. Returns how many more words they take. */
  #short(letters: string, next: string | undefined): number {
    for (let at = 0; at < letters.length; at++) {
      const name = `-${letters[at]}`
      const rest = letters.slice(at + 1)
      if (takesValue(name)) return rest === '' ? this.#option(name, next) : this.#option(name, rest) - 1
      this.#option(name, undefined)
    }
    return 0
  }

  /** Returns how many more words the option takes. */
  #option(name: string, value: string | undefined): number {
    const reason = refused[name]
    if (reason !== undefined) throw new NotTaken(reason)
    if (quiet.has(name)) return 0
    if (name === '-G' || name === '--get') {
      this.#isGet = true
      return 0
    }
    if (!takesValue(name))
      throw new NotTaken(`Coffer does not know the option ${name} of curl. Leave it out.`)
    if (value === undefined) throw new NotTaken(`The value of ${name} is missing.`)
    if (data.has(name)) this.#data(name, value)
    else if (name === '-X' || name === '--request') this.#method = value.toUpperCase()
    else if (name === '-H' || name === '--header') this.#header(value)
    else if (name === '--url') this.#urls.push(value)
    else if (name === '--url-query') this.#query.push(urlencoded(value))
    else if (name === '-b' || name === '--cookie')
      this.notes.push('Cookies were left out: the interface takes none.')
    return 1
  }

  #data(name: string, value: string): void {
    if (name !== '--data-raw' && name !== '--data-urlencode' && value.startsWith('@'))
      throw new NotTaken(noFiles(value.slice(1) || 'the file'))
    const part = name === '--data-urlencode' ? urlencoded(value) : value
    if (name === '--json') this.#isJson = true
    const between = name === '--json' ? '' : '&'
    this.#body = this.#body === undefined ? part : this.#body + between + part
  }

  #header(text: string): void {
    if (text.startsWith('@')) throw new NotTaken(noFiles(text.slice(1)))
    const at = text.search(/[:;]/)
    const value = at < 0 ? '' : text.slice(at + 1).trim()
    // As in curl, `Name:` takes a header away, and `Name;` sends it empty.
    if (at <= 0 || (value === '' && text[at] === ':')) return
    this.#headers.push([text.slice(0, at).trim().toLowerCase(), value])
  }

  request(base: string): Omit<CurlRequest, 'variables'> {
    const [given] = this.#urls
    if (given === undefined) throw new NotTaken('The line has no URL.')
    if (this.#urls.length > 1) {
      throw new NotTaken('The line has more than one URL. Import one request at a time.')
    }
    const [variable = ''] = /^\$(?:\w+|\{\w+\})(?=[/?]|$)/.exec(given) ?? []
    if (variable !== '') this.notes.push(`${variable} was taken to be this listener.`)
    const first = variable === '' ? given : base + given.slice(variable.length)
    const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(first) ? first : `http://${first}`)
    if (!url) throw new NotTaken('The URL in the line is not valid.')
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
}

function takesValue(name: string): boolean {
  return withValue.has(name) || quietWithValue.has(name)
}

/** As `--data-urlencode` does: what stands before the first `=` stays, what follows is encoded. */
function urlencoded(value: string): string {
  const at = value.search(/[=@]/)
  if (at >= 0 && value[at] === '@') throw new NotTaken(noFiles(value.slice(at + 1)))
  if (at < 0) return encodeURIComponent(value)
  const name = value.slice(0, at)
  return `${name === '' ? '' : `${name}=`}${encodeURIComponent(value.slice(at + 1))}`
}
