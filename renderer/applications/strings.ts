export const applications = {
  types: { private: 'private', public: 'public', management: 'management' },
} as const
