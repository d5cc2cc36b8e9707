/** A part of the page that broke says so, and the rest goes on. */
import { Component, type ReactNode } from "react";
import { Button } from "../ui/controls.js";

interface BoundaryProps {
  readonly children: ReactNode;
}

export class Boundary extends Component<BoundaryProps, { readonly message: string | null }> {
  override readonly state = { message: null as string | null };

  static getDerivedStateFromError(error: unknown) {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override render() {
    if (this.state.message === null) return this.props.children;
    return (
      <main className="page-note" role="alert">
        <h1>This view stopped</h1>
        <p className="lead">This is a fault of the studio, not of your data. What you said is saved.</p>
        <pre className="mono">{this.state.message}</pre>
        <p>
          <Button look="solid tall" onClick={() => this.setState({ message: null })}>
            Show it again
          </Button>
        </p>
      </main>
    );
  }
}
