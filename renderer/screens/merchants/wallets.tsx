import { Group } from '@mantine/core'
import { useState } from 'react'
import { useIsOwner } from '../../parts/access/view-as.ts'
import { vault } from '../../parts/connection/vault.ts'
import { InputConfirm } from '../../parts/forms/input-confirm.tsx'
import { Chip } from '../../ui/chip.tsx'
import { IconButton } from '../../ui/icon-buttons.tsx'
import styles from '../../ui/row-table.module.css'
import { RowTable } from '../../ui/row-table.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { Time } from '../../ui/time/time.tsx'
import { strings } from './strings.ts'
import { TableView } from './table-view.tsx'

const t = strings.wallets
const changing = ['wallet_merchant', 'wallet_certificate', 'wallet_domain'] as const
type Registration = Awaited<ReturnType<typeof vault.wallets.getOverview>>['merchants'][number]

/** The merchant registrations of Apple Pay and Google Pay with their certificates, and the registered domains. */
export function Wallets() {
  return (
    <TableView read={() => vault.wallets.getOverview()} changing={changing}>
      {({ merchants, domains }) => (
        <>
          {merchants.length === 0 ? <p className="faint">{t.none}</p> : <Registrations of={merchants} />}
          {domains.length > 0 && (
            <Group gap={5} mt={16}>
              {t.domains}
              {domains.map((domain) => (
                <Chip key={domain}>
                  <span className="clip" title={domain}>
                    {domain}
                  </span>
                </Chip>
              ))}
            </Group>
          )}
        </>
      )}
    </TableView>
  )
}

function Registrations({ of }: { readonly of: readonly Registration[] }) {
  const isOwner = useIsOwner()
  const [removing, setRemoving] = useState<Registration | null>(null)
  return (
    <>
      <RowTable labels={[t.merchant, t.id, t.certificates]} action={t.remove('')} none={false}>
        {of.map((registration) => {
          const { id, wallet, merchant_identifier, certificates } = registration
          return (
            <tr key={id}>
              <td className={styles.text}>
                <Chip>{t.names[wallet]}</Chip> <MarkedText text={merchant_identifier} />
              </td>
              <td className={`mono ${styles.short}`}>{id}</td>
              <td>
                {certificates.map(({ id: key, name, fingerprint, expires_at }) => (
                  <div key={key + name}>
                    <span className={`mono ${styles.short}`} title={fingerprint}>
                      {t.shortenFingerprint(fingerprint)}
                    </span>{' '}
                    {t.expires} <Time at={expires_at} ahead />
                  </div>
                ))}
              </td>
              <td className={styles.action}>
                {isOwner && (
                  <IconButton
                    icon="trash"
                    label={t.remove(merchant_identifier)}
                    onClick={() => setRemoving(registration)}
                  />
                )}
              </td>
            </tr>
          )
        })}
      </RowTable>
      {removing && (
        <InputConfirm
          title={t.removeTitle}
          word={removing.merchant_identifier}
          action={t.removeConfirm}
          onConfirm={() => removeMerchant(removing)}
          onClose={() => setRemoving(null)}
        >
          {t.removeText}
        </InputConfirm>
      )}
    </>
  )
}

async function removeMerchant({ wallet, id }: Registration): Promise<void> {
  await (wallet === 'apple' ? vault.applePay.removeMerchant({ id }) : vault.googlePay.removeMerchant({ id }))
}
