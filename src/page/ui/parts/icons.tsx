const PATHS = {
  overview: "M4 4h7v7H4zM13 4h7v4h-7zM13 10h7v10h-7zM4 13h7v7H4z",
  targets: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9.5h.01",
  requests: "M4 7h11M4 12h16M4 17h8M18 4l3 3-3 3",
  try: "M4 8V5a1 1 0 0 1 1-1h3M16 4h3a1 1 0 0 1 1 1v3M20 16v3a1 1 0 0 1-1 1h-3M8 20H5a1 1 0 0 1-1-1v-3M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
  models: "M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 12l8-4.5M12 12v9M12 12L4 7.5",
  controls: "M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "M5 13l4 4L19 7",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z",
  eyeOff:
    "M4 4l16 16M9.5 5.9A9 9 0 0 1 12 5.5c6 0 9.5 6.5 9.5 6.5a17 17 0 0 1-3 3.7M6.2 7.7A16 16 0 0 0 2.5 12s3.5 6.5 9.5 6.5a9.5 9.5 0 0 0 4-.9",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6L6 18",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10 11v5M14 11v5",
  edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  code: "M9 7l-5 5 5 5M15 7l5 5-5 5",
  filter: "M4 6h16M7 12h10M10 18h4",
  pause: "M8 5v14M16 5v14",
  play: "M7 4.5l12 7.5-12 7.5z",
  clock: "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM12 7.5V12l3 2",
  snow: "M12 3v18M4.2 7.5l15.6 9M19.8 7.5l-15.6 9M9.5 4.5L12 7l2.5-2.5M9.5 19.5L12 17l2.5 2.5",
  upload: "M12 16V4M7 9l5-5 5 5M4 16v4h16v-4",
  download: "M12 4v12M7 11l5 5 5-5M4 16v4h16v-4",
  warning: "M12 4L2.5 20h19zM12 10v4M12 17.2h.01",
  bolt: "M13 3L5 14h6l-1 7 8-11h-6z",
  done: "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM8 12.5l2.8 2.5L16 9.5",
  failed: "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM9 9l6 6M15 9l-6 6",
  camera: "M3 8h4l2-3h6l2 3h4v11H3zM12 10a3.2 3.2 0 1 0 0 6.4 3.2 3.2 0 0 0 0-6.4z",
  features: "M4 5h16v14H4zM8 9h.01M13 8.5h.01M16.5 12h.01M9.5 13.5h.01M13.5 15.5h.01M7.5 16h.01",
  reset: "M4 5v5h5M4.8 10A8 8 0 1 1 4 13",
} as const;

export type IconName = keyof typeof PATHS;

/** A decorative icon; the text beside it has the same meaning. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg
    width="1.15em"
    viewBox="0 0 24 24"
    aria-hidden="true"
    fill="none"
    stroke="currentColor"
    stroke-width="1.8"
    stroke-linecap="round"
    stroke-linejoin="round"
  >
    <path d={PATHS[name]} />
  </svg>
);

export const Logo = () => (
  <svg
    width="26"
    viewBox="0 0 32 32"
    aria-hidden="true"
    fill="none"
    stroke="#fff"
    stroke-width="2.4"
    stroke-linecap="round"
  >
    <rect width="32" height="32" rx="8" fill="#4f46c8" stroke="none" />
    <path d="M8 12V9a1 1 0 0 1 1-1h3M20 8h3a1 1 0 0 1 1 1v3M24 20v3a1 1 0 0 1-1 1h-3M12 24H9a1 1 0 0 1-1-1v-3" />
    <circle cx="16" cy="16" r="3.6" fill="#fff" stroke="none" />
  </svg>
);
