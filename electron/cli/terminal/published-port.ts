import { Option } from 'commander'
import { parsePort } from './vault-options.ts'

/** The option for a listener that callers reach through a forwarder, as in a container. */
export function publishedPortOption(): Option {
  return new Option('--published-port <port>', 'port of this machine that is forwarded to Coffer')
    .env('COFFER_PUBLISHED_PORT')
    .argParser(parsePort)
}

/** The hosts that callers of a published port name. */
export function publishedHosts(port: number | undefined): string[] {
  return port === undefined ? [] : [`localhost:${port}`, `127.0.0.1:${port}`]
}

/** The base URL that callers use: the listener's own, or that of the published port. */
export function publishedUrl(url: string, port: number | undefined): string {
  return port === undefined ? url : `http://127.0.0.1:${port}`
}
