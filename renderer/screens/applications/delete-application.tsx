import type { Application } from '../../../shared/schemas/application.ts'
import { loadApplications } from '../../parts/access/application-names.ts'
import { vault } from '../../parts/connection/vault.ts'
import { InputConfirm } from '../../parts/forms/input-confirm.tsx'
import { showToast } from '../../parts/messages/toast.tsx'
import { strings } from './strings.ts'

const t = strings.remove

type Props = {
  readonly application: Application
  readonly onDeleted: () => void
  readonly onClose: () => void
}

export function DeleteApplication({ application: { id, name }, onDeleted, onClose }: Props) {
  return (
    <InputConfirm
      title={t.title}
      word={name}
      action={t.action}
      onConfirm={async () => {
        await vault.applications.remove({ id })
        await loadApplications()
        onDeleted()
        showToast(t.done(name))
      }}
      onClose={onClose}
    >
      {t.text}
    </InputConfirm>
  )
}
