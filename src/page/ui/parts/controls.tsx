import { type Signal, useSignal } from "@preact/signals";
import type {
  AnchorHTMLAttributes,
  ButtonHTMLAttributes,
  ComponentChildren,
  InputHTMLAttributes,
} from "preact";
import { notify } from "../state/api.ts";
import { Icon, type IconName } from "./icons.tsx";

/** Sets a signal, as an expression. */
export function set<T>(signal: Signal<T>, value: T): void {
  signal.value = value;
}

/** What a button shows, whatever it does. */
export interface ButtonFace
  extends Pick<ButtonHTMLAttributes<HTMLButtonElement>, "form" | "aria-pressed" | "aria-expanded"> {
  readonly icon?: IconName;
  readonly label: string;
  /** Bare ones show only the icon. */
  readonly kind?: "plain" | "main" | "danger" | "bare";
}

interface ButtonProps extends ButtonFace {
  readonly onClick?: () => unknown;
  readonly submit?: boolean;
}

export const Button = ({ icon, label, onClick, kind = "plain", submit, ...more }: ButtonProps) => (
  <button
    type={submit === true ? "submit" : "button"}
    class={kind === "plain" ? "button row" : `button row ${kind}`}
    {...(kind === "bare" && { "aria-label": label, title: label })}
    onClick={() => void onClick?.()}
    {...more}
  >
    {icon !== undefined && <Icon name={icon} />}
    {kind !== "bare" && <span>{label}</span>}
  </button>
);

interface LinkProps
  extends Pick<AnchorHTMLAttributes<HTMLAnchorElement>, "href" | "download" | "target" | "rel"> {
  readonly label: string;
  readonly icon?: IconName;
}

export const LinkButton = ({ label, icon, ...link }: LinkProps) => (
  <a class="button row" {...link}>
    {icon !== undefined && <Icon name={icon} />}
    <span>{label}</span>
  </a>
);

interface OpenButtonProps extends ButtonFace {
  readonly children: (close: () => void) => ComponentChildren;
}

export function OpenButton({ children, ...button }: OpenButtonProps) {
  const open = useSignal(false);
  return (
    <>
      <Button {...button} onClick={() => set(open, true)} />
      {open.value && children(() => set(open, false))}
    </>
  );
}

interface CopyProps extends Pick<ButtonFace, "label" | "kind"> {
  readonly value: string;
}

export function CopyButton({ value, label, kind = "bare" }: CopyProps) {
  const copied = useSignal(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      copied.value = true;
      setTimeout(() => set(copied, false), 1500);
    } catch {
      notify("failed", "The browser does not allow copying. Select the text instead.");
    }
  };
  return (
    <Button
      kind={kind}
      icon={copied.value ? "check" : "copy"}
      label={copied.value ? "Copied" : label}
      onClick={copy}
    />
  );
}

/** A value to copy, perhaps hidden at first. */
export function Secret({ value, label, hidden = true }: CopyProps & { readonly hidden?: boolean }) {
  const shown = useSignal(!hidden);
  return (
    <span class="secret row">
      <code class={shown.value ? "one-line grow" : "faint grow"} title={shown.value ? value : undefined}>
        {shown.value ? value : "••••••••••••"}
      </code>
      {hidden && (
        <Button
          kind="bare"
          icon={shown.value ? "eyeOff" : "eye"}
          label={`${shown.value ? "Hide" : "Show"} ${label}`}
          onClick={() => set(shown, !shown.value)}
        />
      )}
      <CopyButton value={value} label={`Copy ${label}`} />
    </span>
  );
}

interface LabelledProps {
  readonly label: string;
  readonly hint?: string | undefined;
  /** Shows the label only to screen readers. */
  readonly bare?: boolean | undefined;
}

/** A control with its label, and a hint below it. */
export const Labelled = (props: LabelledProps & { readonly children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children.
  <label class="field stack tight">
    <span class={props.bare === true ? "visually-hidden" : "small"}>{props.label}</span>
    {props.children}
    {props.hint !== undefined && <span class="faint small">{props.hint}</span>}
  </label>
);

type InputProps = LabelledProps &
  Pick<
    InputHTMLAttributes<HTMLInputElement>,
    | ("name" | "value" | "defaultValue" | "checked" | "defaultChecked" | "autofocus" | "required")
    | ("maxLength" | "min" | "step" | "onInput" | "onChange")
  >;

export const Field = ({ label, hint, ...input }: InputProps) => (
  <Labelled label={label} hint={hint}>
    <input type="text" autocomplete="off" spellcheck={false} {...input} />
  </Labelled>
);

/** A number, 0 or more; an integer unless it has a step. */
export const NumberField = ({ label, hint, ...input }: InputProps) => (
  <Labelled label={label} hint={hint}>
    <input type="number" min={0} step={1} {...input} />
  </Labelled>
);

export const Checkbox = ({ label, ...input }: InputProps) => (
  <label class="check row">
    <input type="checkbox" {...input} />
    <span>{label}</span>
  </label>
);

interface SelectProps<T extends string> extends LabelledProps {
  readonly name?: string;
  readonly value?: T;
  readonly options: readonly (T | readonly [value: T, text: string])[];
  readonly onChange?: (value: T) => void;
}

export function Select<T extends string>(props: SelectProps<T>) {
  const { name, value, options, onChange, ...labelled } = props;
  const choices = options.map((option) =>
    typeof option === "string" ? ([option, option] as const) : option,
  );
  return (
    <Labelled {...labelled}>
      <select
        name={name}
        value={onChange && value}
        onChange={({ currentTarget }) => {
          const chosen = choices.find(([each]) => each === currentTarget.value);
          if (chosen !== undefined) onChange?.(chosen[0]);
        }}
      >
        {choices.map(([each, text]) => (
          <option key={each} value={each} selected={each === value}>
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

interface SearchProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

export const SearchField = ({ label, value, onInput }: SearchProps) => (
  <Labelled bare label={label}>
    <input
      type="search"
      placeholder={label}
      value={value}
      spellcheck={false}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  </Labelled>
);
