export function Logo({ size = 20 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" aria-hidden="true">
      <rect x="1" y="1" width="18" height="18" rx="5" fill="var(--accent)" />
      <path d="M5 6.200A1.200 1.200 0 0 1 6.200 5H10v10H6.200A1.200 1.200 0 0 1 5 13.800z" fill="var(--bg)" />
      <path
        d="M10 5h3.800A1.200 1.200 0 0 1 15 6.200v7.600a1.200 1.200 0 0 1-1.200 1.200H10"
        fill="none"
        stroke="var(--bg)"
        strokeWidth="1.400"
      />
    </svg>
  )
}
