import { useEffect, useState } from 'react'

/** The time of this machine, updated every `step` ms while the component is mounted; ages use the page's one clock instead. */
export function useNow(step: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), step)
    return () => clearInterval(timer)
  }, [step])
  return now
}
