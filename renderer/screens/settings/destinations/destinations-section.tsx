import type { TextInputProps } from '@mantine/core'
import { allowedDestination, type Destinations, destinationOrigin } from '../../../../shared/destinations.ts'
import type { HostStatus } from '../../../../shared/host/status.ts'
import { useForm } from '../../../parts/forms/use-form.ts'
import { showFailureToast } from '../../../parts/messages/toast.tsx'
import { useRoute } from '../../../parts/navigation/route.ts'
import { MonoInput } from '../../../ui/fields/mono-fields.tsx'
import { IconButton } from '../../../ui/icon-buttons.tsx'
import { LineForm, Lines, Section } from '../fields.tsx'
import { saveSettings } from '../save-settings.ts'
import styles from '../settings.module.css'
import { strings as t } from './strings.ts'

/** Which hosts proxies and webhooks may call, and which origins are redirected. */
export function DestinationsSection({ status }: { status: HostStatus }) {
  const { settings } = status
  const { allow, map } = settings.destinations
  const { query } = useRoute()
  const saveDestinations = (part: Partial<Destinations>) => {
    const { allow: hosts, map: maps } = { ...settings.destinations, ...part }
    return saveSettings({ destinations: { allow: [...hosts], map: { ...maps } } })
  }
  const renderRemove = (name: string, part: Partial<Destinations>) => (
    <IconButton
      icon="close"
      ml="auto"
      label={t.remove(name)}
      onClick={() => void saveDestinations(part).catch(showFailureToast)}
    />
  )
  const maps = Object.entries(map)
  return (
    <Section name="destinations" text={t.text}>
      <p className={styles.text}>{t.private}</p>
      <h3>{t.allowed}</h3>
      <AddHost
        key={query.allow}
        known={allow}
        asked={query.allow ?? ''}
        onAdd={(host) => saveDestinations({ allow: [...allow, host] })}
      />
      <Lines none={t.noHosts} label={t.allowed}>
        {allow.map((host) => (
          <li key={host}>
            <span className="mono">{host}</span>
            {renderRemove(host, { allow: allow.filter((each) => each !== host) })}
          </li>
        ))}
      </Lines>
      <h3>{t.mapped}</h3>
      <p className={styles.text}>{t.mapText}</p>
      <AddMap known={map} onAdd={(from, to) => saveDestinations({ map: { ...map, [from]: to } })} />
      <Lines none={t.noMaps} label={t.mapped}>
        {maps.map(([from, to]) => (
          <li key={from}>
            <span className="mono">{from}</span>
            <span className="dim">→</span>
            <span className="mono">{to}</span>
            {renderRemove(from, { map: Object.fromEntries(maps.filter(([each]) => each !== from)) })}
          </li>
        ))}
      </Lines>
    </Section>
  )
}

function AddressInput(props: TextInputProps) {
  return (
    <MonoInput inputWrapperOrder={['label', 'input', 'description', 'error']} maxLength={255} {...props} />
  )
}

type AddHostProps = {
  readonly known: readonly string[]
  /** The host that the owner was asked about, to start with. */
  readonly asked: string
  readonly onAdd: (host: string) => Promise<void>
}

function AddHost({ known, asked, onAdd }: AddHostProps) {
  const form = useForm({
    initial: () => ({ host: asked }),
    getUnsavedInput: ({ host }) => host,
    send: ({ host }) => onAdd(allowedDestination.parse(host)),
    onDone: (): void => form.reset({ host: '' }),
  })
  const { host } = form.values
  const wrong = host === '' ? undefined : findHostError(allowedDestination.safeParse(host).data, known)
  return (
    <LineForm form={form} action={t.allow} disabled={host === '' || wrong !== undefined}>
      <AddressInput label={t.host} description={t.hostHelp} w={360} {...form.text('host')} error={wrong} />
    </LineForm>
  )
}

function findHostError(host: string | undefined, known: readonly string[]): string | undefined {
  if (host === undefined) return t.hostWrong
  return known.includes(host) ? t.known : undefined
}

type AddMapProps = {
  readonly known: Destinations['map']
  readonly onAdd: (from: string, to: string) => Promise<void>
}

/** Redirects calls from one origin to another. */
function AddMap({ known, onAdd }: AddMapProps) {
  const initial = { from: '', to: '' }
  const form = useForm({
    initial,
    getUnsavedInput: ({ from, to }) => from + to,
    send: ({ from, to }) => onAdd(destinationOrigin.parse(from), destinationOrigin.parse(to)),
    onDone: (): void => form.reset(initial),
  })
  const { from, to } = form.values
  const origin = destinationOrigin.safeParse(from).data
  const isKnown = origin !== undefined && Object.hasOwn(known, origin)
  const errors = { from: isKnown ? t.known : findAddressError(from), to: findAddressError(to) }
  const isReady = from !== '' && to !== '' && !errors.from && !errors.to
  return (
    <LineForm form={form} action={t.map} disabled={!isReady}>
      {(['from', 'to'] as const).map((name) => (
        <AddressInput
          key={name}
          label={t[name]}
          description={t.mapHelp[name]}
          w={240}
          {...form.text(name)}
          error={errors[name]}
        />
      ))}
    </LineForm>
  )
}

function findAddressError(address: string): string | undefined {
  return address === '' || destinationOrigin.safeParse(address).success ? undefined : t.originWrong
}
