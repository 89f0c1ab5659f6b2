import { Group } from '@mantine/core'
import type { AsHostedState } from '../../../../shared/host/as-hosted.ts'
import type { HostSettings } from '../../../../shared/host/settings.ts'
import { Caution } from '../../../ui/failure.tsx'
import formStyles from '../../../ui/form.module.css'
import { PropertyList, PropertyRow } from '../../../ui/panel.tsx'
import { findMappedLater, groupNames } from './hosted-facts.ts'
import { strings as t } from './strings.ts'

type Props = {
  readonly names: Extract<AsHostedState, { state: 'on' }>['names']
  readonly destinations: HostSettings['destinations']
}

function MapTarget({ to }: { to: string | undefined }) {
  return to !== undefined && <span className="dim"> → {to}</span>
}

/** The names that are answered, by what they stand for. */
export function HostedNames({ names, destinations }: Props) {
  const groups = groupNames(names)
  const later = findMappedLater(names, destinations)
  return (
    <div>
      <h4>{t.names}</h4>
      <PropertyList>
        {groups.map(([role, hosts]) => (
          <PropertyRow key={role} name={t.roles[role]}>
            <Group gap="2px 16px">
              {hosts.map((host) => (
                <span key={host} className="mono">
                  {host}
                  {role === 'mapped' && <MapTarget to={destinations.map[`https://${host}`]} />}
                </span>
              ))}
            </Group>
          </PropertyRow>
        ))}
      </PropertyList>
      {groups.some(([role]) => role === 'mapped') && <p className={formStyles.help}>{t.mappedNote}</p>}
      {later.length > 0 && <Caution>{t.mappedLater(later.join(', '))}</Caution>}
      <p className={formStyles.help}>{t.authority}</p>
    </div>
  )
}
