import type { ProxyObject } from '../../../shared/schemas/proxy.ts'
import { loadProxies } from '../../parts/access/resource-lists.ts'
import { vault } from '../../parts/connection/vault.ts'
import { InputConfirm } from '../../parts/forms/input-confirm.tsx'
import { showToast } from '../../parts/messages/toast.tsx'
import { strings } from './strings.ts'

const t = strings.remove

type Props = {
  readonly proxy: ProxyObject
  readonly onDeleted: () => void
  readonly onClose: () => void
}

export function DeleteProxy({ proxy: { id, name }, onDeleted, onClose }: Props) {
  return (
    <InputConfirm
      title={t.title}
      word={name}
      action={t.action}
      onConfirm={async () => {
        await vault.proxies.remove({ id })
        await loadProxies()
        onDeleted()
        showToast(t.done(name))
      }}
      onClose={onClose}
    >
      {t.text}
    </InputConfirm>
  )
}
