import type { HostSettings } from '../../../shared/host.ts'
import { isHostToAllow, isOrigin } from '../../../shared/origins.ts'
import { strings } from './strings.ts'

const t = strings.listener

type ListenerInput = Partial<Pick<HostSettings, 'origins' | 'hosts'>> & { readonly isEmptied: boolean }

/** What is wrong with the settings of the listener, by field, naming each wrong entry. */
export function validateListener({
  origins = [],
  hosts = [],
  isEmptied,
}: ListenerInput): Record<string, string> {
  const wrongOrigins = origins.filter((each) => !isOrigin(each))
  const wrongHosts = hosts.filter((each) => !isHostToAllow(each))
  return {
    ...(isEmptied && { port: t.portNeeded }),
    ...(wrongOrigins.length > 0 && { origins: t.originWrong(wrongOrigins.join(', ')) }),
    ...(wrongHosts.length > 0 && { hosts: t.hostWrong(wrongHosts.join(', ')) }),
  }
}
