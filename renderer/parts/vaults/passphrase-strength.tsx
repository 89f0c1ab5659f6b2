import { Progress } from '@mantine/core'
import { useEffect, useState } from 'react'
import { estimateStrength, type Strength } from '../../../shared/passphrase.ts'
import formStyles from '../../ui/form.module.css'
import { strings } from './strings.ts'

const t = strings.passphrase
const colors = ['red', 'red', 'yellow', 'teal', 'teal'] as const

/** Rates a new passphrase while it is typed. */
export function PassphraseStrength({ typed, vault }: { typed: string; vault: string }) {
  const strength = useStrength(typed, vault)
  if (!strength) return null
  const { score, problem } = strength
  return (
    <div>
      <Progress value={20 * (score + 1)} size="xs" color={colors[score]} aria-hidden mt={6} />
      <p className={formStyles.help} role="status">
        {problem === undefined ? t.strength[score] : t.weak(problem)}
      </p>
    </div>
  )
}

function useStrength(input: string, vault: string): Strength | null {
  const [result, setResult] = useState<{ input: string; strength: Strength } | null>(null)
  useEffect(() => {
    if (input === '') return
    let isCurrent = true
    estimateStrength(input, [vault]).then(
      (strength) => isCurrent && setResult({ input, strength }),
      // The dictionaries could not be loaded. The host checks the passphrase anyway.
      () => {},
    )
    return () => {
      isCurrent = false
    }
  }, [input, vault])
  return result?.input === input ? result.strength : null
}
