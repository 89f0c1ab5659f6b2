import { useEffect, useState } from 'react'

/** This machine's time, updated every `step` ms. For ages, use the page's shared clock instead. */
export function useNow(step: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), step)
    return () => clearInterval(timer)
  }, [step])
  return now
}
