import type { ReactNode } from 'react'
import { DialogForm } from '../forms/form-dialog.tsx'
import { useForm } from '../forms/use-form.ts'
import { JobProblem } from './job-progress.tsx'
import {
  type ConfirmedVault,
  emptyOwner,
  isOwnerEntered,
  isOwnerProblem,
  OwnerFields,
  toOwnerCredential,
} from './owner-fields.tsx'

type Props = {
  readonly title: string
  readonly children: ReactNode
  readonly progress?: ReactNode
  readonly action: string
  readonly vault: ConfirmedVault
  readonly onConfirm: (credential: ReturnType<typeof toOwnerCredential>) => Promise<void>
  readonly onClose: () => void
}

/** Asks for the vault's passphrase, or its name, before something irreversible. The host checks the input. */
export function ConfirmOwner({ children, progress, vault, onConfirm, ...dialog }: Props) {
  const form = useForm({
    initial: emptyOwner,
    send: (input) => onConfirm(toOwnerCredential(vault, input)),
    onDone: dialog.onClose,
  })
  return (
    <DialogForm
      {...dialog}
      form={form}
      size={440}
      color="red"
      disabled={!isOwnerEntered(vault, form.values)}
      problem={<OwnerProblem of={form.problem} />}
    >
      {children}
      <OwnerFields form={form} vault={vault} />
      {progress}
    </DialogForm>
  )
}

/** Why a job of the owner failed, unless the owner's input is wrong, which its field says. */
export function OwnerProblem({ of }: { of: unknown }) {
  return isOwnerProblem(of) ? null : <JobProblem error={of} />
}
