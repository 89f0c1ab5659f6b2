import type { ReactorObject } from '../../../shared/schemas/reactor.ts'
import { loadReactors } from '../../parts/access/resource-lists.ts'
import { vault } from '../../parts/connection/vault.ts'
import { InputConfirm } from '../../parts/forms/input-confirm.tsx'
import { showToast } from '../../parts/messages/toast.tsx'
import { strings } from './strings.ts'

const t = strings.remove

type Props = {
  readonly reactor: ReactorObject
  readonly onDeleted: () => void
  readonly onClose: () => void
}

export function DeleteReactor({ reactor: { id, name }, onDeleted, onClose }: Props) {
  return (
    <InputConfirm
      title={t.title}
      word={name}
      action={t.action}
      onConfirm={async () => {
        await vault.reactors.remove({ id })
        await loadReactors()
        onDeleted()
        showToast(t.done(name))
      }}
      onClose={onClose}
    >
      {t.text}
    </InputConfirm>
  )
}
