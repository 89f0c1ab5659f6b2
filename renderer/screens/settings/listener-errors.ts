import type { HostSettings } from '../../../shared/host/settings.ts'
import { isHostToAllow, isOrigin } from '../../../shared/origins.ts'
import { strings } from './strings.ts'

const t = strings.listener

type ListenerInput = Partial<Pick<HostSettings, 'origins' | 'hosts'>> & { readonly isEmptied: boolean }

/** Validates the listener settings. Each message names the invalid entries of its field. */
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
