import { Box, Group } from '@mantine/core'
import type { Checkout } from '../../../shared/schemas/checkout.ts'
import type { FullLog } from '../../../shared/schemas/log.ts'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { Loading } from '../../ui/loading.tsx'
import { MarkedSpan } from '../../ui/text/marked-span.tsx'
import { Time } from '../../ui/time/time.tsx'
import { useApplications } from '../access/application-names.ts'
import { RefusalSection } from '../access/refusal-section.tsx'
import { useProxies, useWebhooks } from '../access/resource-lists.ts'
import { useSession } from '../connection/session.ts'
import { useLoaded } from '../connection/use-loaded.tsx'
import { vault } from '../connection/vault.ts'
import { allowOrigins } from '../listener/allow-origins.ts'
import { LinkButton } from '../navigation/link-button.tsx'
import { toHref } from '../navigation/route-text.ts'
import styles from './checkouts.module.css'
import { type Light, type LightName, lightNames, useGoneParts, useLights } from './lights.ts'
import { strings as t } from './strings.ts'

/** What each part of a checkout is called, and the route that opens it. */
function useParts({ page_id, server_id, proxy_id, webhook_id, origin }: Checkout) {
  const applications = useApplications().rows
  const proxies = useProxies().rows
  const webhooks = useWebhooks().rows
  const findName = (rows: readonly { readonly id: string; readonly name: string }[], id: string) =>
    rows.find((row) => row.id === id)?.name ?? ''
  return {
    page: { name: findName(applications, page_id), href: toHref('applications', page_id) },
    origin: { name: origin, href: toHref('settings', 'listener') },
    server: { name: findName(applications, server_id), href: toHref('applications', server_id) },
    proxy: { name: findName(proxies, proxy_id), href: toHref('proxies', proxy_id) },
    webhook: { name: findName(webhooks, webhook_id), href: toHref('webhooks', webhook_id) },
  } satisfies Record<LightName, { name: string; href: string }>
}

type LightState = 'used' | 'unused' | 'refused' | 'gone' | 'notAllowed'

function getState({ used_at, refused, failure }: Light): LightState {
  if (used_at !== null) return 'used'
  return refused || failure ? 'refused' : 'unused'
}

/** The light of each part: green only once the log holds a successful use by a program. */
function useLightStates(checkout: Checkout, isOneOfMany: boolean) {
  const lights = useLights(checkout, isOneOfMany)
  const isGone = useGoneParts(checkout)
  const origins = useSession(({ status }) => status?.settings.origins)
  const isAllowed = origins?.includes(checkout.origin) !== false
  const getLightState = (name: LightName): LightState => {
    if (isGone(name)) return 'gone'
    if (name === 'origin' && !isAllowed) return 'notAllowed'
    return lights ? getState(lights[name]) : 'unused'
  }
  return { lights, getLightState }
}

function Dot({ state }: { state: LightState }) {
  return <span className={styles.dot} data-state={state} />
}

export function LightDots({ checkout }: { checkout: Checkout }) {
  const { getLightState } = useLightStates(checkout, true)
  const states = lightNames.map(getLightState)
  return (
    <Group component="span" display="inline-flex" gap={5} wrap="nowrap" flex="none">
      {lightNames.map((name, index) => (
        <Dot key={name} state={states[index] ?? 'unused'} />
      ))}
      <span className="faint">
        {t.summary(states.filter((state) => state === 'used').length, states.length)}
      </span>
    </Group>
  )
}

/** The lights of a checkout with the last use of each part, and why the newest call was refused. */
export function LightList({ checkout }: { checkout: Checkout }) {
  const { lights, getLightState } = useLightStates(checkout, false)
  const parts = useParts(checkout)
  if (!lights) return <Loading lines={5} />
  const refused = lightNames.flatMap((name) => lights[name].refused ?? [])
  const [newest] = refused.sort((a, b) => b.created_at.localeCompare(a.created_at))
  const isUnused = lights.server.used_at === null || lights.page.used_at === null
  const unknown = isUnused && !newest ? lights.unknown : null
  return (
    <>
      <ul className={styles.lights}>
        {lightNames.map((name) => {
          const state = getLightState(name)
          const { used_at, failure } = lights[name]
          return (
            <li key={name}>
              <Dot state={state} />
              <span>{t.names[name]}</span>
              <span>
                {state !== 'gone' && (
                  <LinkButton
                    to={parts[name].href}
                    label={<MarkedSpan className="clip" text={parts[name].name} />}
                  />
                )}
              </span>
              <Group component="span" className="dim" gap={6} wrap="nowrap">
                {state === 'notAllowed' && (
                  <ActionButton
                    label={t.allow}
                    size="compact-xs"
                    onClick={() => allowOrigins([checkout.origin])}
                  />
                )}
                {t[state]} {state === 'used' && used_at !== null && <Time at={used_at} />}
              </Group>
              {failure && (
                <p className={styles.failure}>
                  {t.failed} {failure}
                </p>
              )}
            </li>
          )
        })}
      </ul>
      {unknown && (
        <Box component="p" className="dim" mt={8} fz={12}>
          {t.unknown} <Time at={unknown.created_at} />. {t.unknownHelp}{' '}
          <LinkButton to={toHref('requests', unknown.id)} label={t.openRecord} />
        </Box>
      )}
      {newest && <Refusal key={newest.id} id={newest.id} />}
    </>
  )
}

/** Why a call was refused, as its record explains it. */
function Refusal({ id }: { id: string }) {
  const { value: record } = useLoaded<FullLog>(() => vault.logs.get({ id }), { about: id })
  if (!record) return null
  return (
    <div className={styles.refusal}>
      <Group gap="xs">
        <span className="mono">
          {record.status} {record.action}
        </span>
        <Time at={record.created_at} />
        <LinkButton to={toHref('requests', id)} label={t.openRecord} />
      </Group>
      <RefusalSection record={record} />
    </div>
  )
}
