import { Group } from '@mantine/core'
import { useEffect, useState } from 'react'
import { followChanges } from '../../parts/connection/change-subscription.ts'
import { LoadedView, useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { InputConfirm } from '../../parts/forms/input-confirm.tsx'
import { Chip } from '../../ui/chip.tsx'
import { IconButton } from '../../ui/icon-buttons.tsx'
import { TableHead } from '../../ui/table-head.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { Time } from '../../ui/time/time.tsx'
import styles from './settings.module.css'
import { strings } from './strings.ts'

const t = strings.wallets
const changing = ['wallet_merchant', 'wallet_certificate', 'wallet_domain'] as const
type Registration = Awaited<ReturnType<typeof vault.wallets.getOverview>>['merchants'][number]

/** The merchant registrations of Apple Pay and Google Pay with their certificates, and the registered domains. */
export function Wallets() {
  const overview = useLoaded(() => vault.wallets.getOverview())
  const { load } = overview
  useEffect(() => followChanges(changing, load), [load])
  return (
    <>
      <h3>{t.title}</h3>
      <LoadedView of={overview}>
        {({ merchants, domains }) => (
          <>
            {merchants.length === 0 ? (
              <span className="faint">{t.none}</span>
            ) : (
              <Registrations of={merchants} />
            )}
            {domains.length > 0 && (
              <Group gap={5}>
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
      </LoadedView>
    </>
  )
}

function Registrations({ of }: { readonly of: readonly Registration[] }) {
  const [removing, setRemoving] = useState<Registration | null>(null)
  return (
    <>
      <table className={styles.table}>
        <TableHead labels={[t.merchant, t.id, t.certificates]} action={t.remove('')} />
        <tbody>
          {of.map((registration) => {
            const { id, wallet, merchant_identifier, certificates } = registration
            return (
              <tr key={id}>
                <td>
                  <Chip>{t.names[wallet]}</Chip> <MarkedText text={merchant_identifier} />
                </td>
                <td className={`mono ${styles.id}`}>{id}</td>
                <td>
                  {certificates.map(({ id: key, name, fingerprint, expires_at }) => (
                    <div key={key + name}>
                      <span className={`mono ${styles.id}`} title={fingerprint}>
                        {t.shortenFingerprint(fingerprint)}
                      </span>{' '}
                      {t.expires} <Time at={expires_at} ahead />
                    </div>
                  ))}
                </td>
                <td>
                  <IconButton
                    icon="close"
                    label={t.remove(merchant_identifier)}
                    onClick={() => setRemoving(registration)}
                  />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
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
