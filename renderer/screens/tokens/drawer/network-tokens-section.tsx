import { Group } from '@mantine/core'
import { useState } from 'react'
import type { Token } from '../../../../shared/schemas/token.ts'
import { useIsOwner } from '../../../parts/access/view-as.ts'
import { LoadedView, useLoaded } from '../../../parts/connection/use-loaded.tsx'
import { vault } from '../../../parts/connection/vault.ts'
import { useAction } from '../../../parts/forms/use-action.ts'
import { Problem } from '../../../parts/messages/problem.tsx'
import { Copyable } from '../../../parts/resource-screen/drawer-sections.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { ActionButton } from '../../../ui/icon-buttons.tsx'
import { PanelSection } from '../../../ui/panel.tsx'
import { Properties } from '../../../ui/properties.tsx'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import { Masked } from '../../../ui/text/masked.tsx'
import { strings } from '../strings.ts'

const t = strings.networkTokens

export function NetworkTokensSection({ token: { id, type, _extras } }: { readonly token: Token }) {
  const isOwner = useIsOwner()
  const { runAction, problem } = useAction()
  if (!isOwner || type !== 'card') return null
  const ids = _extras?.network_token_ids ?? []
  const createNetworkToken = () => runAction(() => vault.networkTokens.create({ token_id: id }))
  return (
    <PanelSection
      title={t.title}
      aside={
        ids.length === 0 && (
          <ActionButton icon="plus" label={t.create} size="compact-xs" onClick={createNetworkToken} />
        )
      }
    >
      <Problem of={problem} />
      {ids.length === 0 && <span className="faint">{t.none}</span>}
      {ids.map((each) => (
        <NetworkTokenRows key={each} id={each} />
      ))}
    </PanelSection>
  )
}

function NetworkTokenRows({ id }: { readonly id: string }) {
  const loaded = useLoaded(() => vault.networkTokens.get({ id }), { follows: ['network_token'] })
  const { runAction, problem } = useAction()
  const [payment, setPayment] = useState<{ readonly cryptogram: string; readonly eci: string } | null>(null)
  const createCryptogram = () =>
    runAction(async () => setPayment(await vault.networkTokens.createCryptogram({ id })))
  return (
    <LoadedView of={loaded}>
      {({ data, status }) => (
        <>
          <Properties
            of={{
              [t.id]: <Copyable value={id} />,
              [t.number]: data && (
                <>
                  <Masked text={data.number} /> {String(data.expiration_month).padStart(2, '0')}/
                  {data.expiration_year}
                </>
              ),
              [t.status]: <Chip tone={status === 'active' ? 'green' : 'amber'}>{status}</Chip>,
              [t.cryptogram]: payment && status === 'active' && (
                <>
                  <span className="mono">{payment.cryptogram}</span>{' '}
                  <CopyButton value={payment.cryptogram} what={t.cryptogram.toLowerCase()} secret />{' '}
                  <span className="faint">{t.eci(payment.eci)}</span>
                </>
              ),
            }}
          />
          <Problem of={problem} />
          <Group gap={5} mt={6}>
            {status === 'active' ? (
              <>
                <ActionButton
                  icon="key"
                  label={t.createCryptogram}
                  size="compact-xs"
                  onClick={createCryptogram}
                />
                <ActionButton
                  label={t.suspend}
                  size="compact-xs"
                  onClick={() => runAction(() => vault.networkTokens.suspend({ id }))}
                />
              </>
            ) : (
              <ActionButton
                label={t.resume}
                size="compact-xs"
                onClick={() => runAction(() => vault.networkTokens.resume({ id }))}
              />
            )}
          </Group>
        </>
      )}
    </LoadedView>
  )
}
