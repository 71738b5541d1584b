import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icons.tsx";

interface PanelProps {
  readonly icon: IconName;
  readonly title: string;
  readonly intro: string;
  readonly children: ComponentChildren;
}

/** A card with a heading, and an explanation below it. */
export const Panel = ({ icon, title, intro, children }: PanelProps) => (
  <section class="card panel" aria-label={title}>
    <h2>
      <Icon name={icon} />
      {title}
    </h2>
    <p class="faint">{intro}</p>
    <div class="row">{children}</div>
  </section>
);
