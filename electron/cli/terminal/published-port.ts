import { Option } from 'commander'
import { parsePort } from './vault-options.ts'

/** Creates the option for a listener that callers reach through a forwarder, as in a container. */
export function createPublishedPortOption(): Option {
  return new Option('--published-port <port>', 'port of this machine that is forwarded to Coffer')
    .env('COFFER_PUBLISHED_PORT')
    .argParser(parsePort)
}

/** Returns the `Host` values that callers of a published port send. */
export function listPublishedHosts(port: number | undefined): string[] {
  return port === undefined ? [] : [`localhost:${port}`, `127.0.0.1:${port}`]
}

/** Returns the base URL that callers use: the listener's own, or that of the published port. */
export function publishedUrl(url: string, port: number | undefined): string {
  return port === undefined ? url : `http://127.0.0.1:${port}`
}
