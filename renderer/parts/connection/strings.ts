export const strings = {
  gone: {
    since: {
      silent: (time: string) => `Not reachable since ${time}`,
      'signed out': (time: string) => `Signed out since ${time}`,
    },
    next: {
      silent:
        'Coffer does not answer. What you see is from before. Start it again where it ran; this page reconnects on its own.',
      'signed out':
        'What you see is from before. Press Enter in the terminal where Coffer runs, and open the fresh link it prints in this browser.',
    },
    tryNow: 'Try now',
  },
} as const
