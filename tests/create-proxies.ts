import { Proxies } from '../electron/host/proxies/proxies.ts'
import { type CodeRunner, noCode } from '../electron/http/code.ts'
import { Outbound } from '../electron/outbound/outbound.ts'
import { noDestinations } from '../shared/destinations.ts'

type ProxiesOptions = {
  ownPorts: () => readonly number[]
  destinations?: typeof noDestinations
  code?: CodeRunner
  report?: (error: unknown, where: string) => void
}

/** Creates what makes the calls of proxies for a listener. Close `outbound` when the test ends. */
export function createProxies({
  ownPorts,
  destinations = noDestinations,
  code = noCode,
  report = () => {},
}: ProxiesOptions) {
  const outbound = new Outbound({ destinations: () => destinations, ownPorts })
  return { outbound, proxies: new Proxies({ outbound, code, report }) }
}
