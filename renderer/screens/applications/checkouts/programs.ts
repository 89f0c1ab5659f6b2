import main from '../../../../examples/first-checkout/main.go?raw'
import program from '../../../../examples/first-checkout/Program.cs?raw'
import page from '../../../../examples/first-checkout/page.html?raw'
import java from '../../../../examples/first-checkout/Server.java?raw'
import node from '../../../../examples/first-checkout/server.mjs?raw'
import php from '../../../../examples/first-checkout/server.php?raw'
import python from '../../../../examples/first-checkout/server.py?raw'
import ruby from '../../../../examples/first-checkout/server.rb?raw'
import { type SnippetLanguage, snippetLanguages } from '../../../../shared/host/settings.ts'
import type { Checkout } from '../../../../shared/schemas/checkout.ts'
import { strings as t } from './strings.ts'

export type ProgramLanguage = Exclude<SnippetLanguage, 'curl' | 'node-sdk'>

export type Program = {
  readonly file: string
  readonly text: string
  /** The commands that start it. */
  readonly run: (port: string) => string
}

/** The page of a checkout, which every server serves. */
export const pageText = page

/** The server of a checkout in each language. All of them read `.env`. */
export const programs: Readonly<Record<ProgramLanguage, Program>> = {
  node: { file: 'server.mjs', text: node, run: () => 'node server.mjs' },
  python: { file: 'server.py', text: python, run: () => 'pip install cryptography\npython3 server.py' },
  go: { file: 'main.go', text: main, run: () => 'go run main.go' },
  java: { file: 'Server.java', text: java, run: () => 'java Server.java' },
  php: { file: 'server.php', text: php, run: (port) => `php -S localhost:${port} server.php` },
  ruby: { file: 'server.rb', text: ruby, run: () => 'ruby server.rb' },
  csharp: { file: 'Program.cs', text: program, run: () => 'dotnet run Program.cs' },
}

export const programLanguages = snippetLanguages.filter((each): each is ProgramLanguage => each in programs)

/** The language of the server. The server for curl and for the SDK is the one for Node. */
export function toProgramLanguage(language: SnippetLanguage): ProgramLanguage {
  return language === 'curl' || language === 'node-sdk' ? 'node' : language
}

export type CheckoutKeys = { readonly page: string; readonly server: string }

type EnvValues = {
  readonly url: string
  readonly proxyKey: string
  /** Null once the keys are no longer shown. */
  readonly keys: CheckoutKeys | null
}

/** The port of the server, which is that of its page. */
export function getPort({ origin }: Pick<Checkout, 'origin'>): string {
  const { port, protocol } = new URL(origin)
  return port !== '' ? port : protocol === 'https:' ? '443' : '80'
}

/**
 * The variables that the server of a checkout reads. SECURITY: no text of the owner, because a name may hold what a
 * language reads as a variable, or cannot read at all.
 */
export function formatCheckoutEnv(
  checkout: Pick<Checkout, 'origin'>,
  { url, proxyKey, keys }: EnvValues,
): string {
  return [
    `COFFER_BASE_URL=${url}`,
    ...(keys ? [] : [t.envOnce]),
    `COFFER_PUBLIC_KEY=${keys?.page ?? ''}`,
    `COFFER_API_KEY=${keys?.server ?? ''}`,
    `COFFER_PROXY_KEY=${proxyKey}`,
    `PORT=${getPort(checkout)}`,
  ].join('\n')
}
