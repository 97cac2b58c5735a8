# Homebrew's formula. .ci/release fills in the version, the commit and the sum of the source.
class GitTrace < Formula
  desc "Who wrote this line, and in which conversation"
  homepage "https://github.com/git-trace/git-trace"
  url "https://github.com/git-trace/git-trace/releases/download/v@VERSION@/git-trace-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on "go" => :build

  def install
    ENV["CGO_ENABLED"] = "0"
    %w[git-trace git-trace-hook git-trace-serve].each do |program|
      system "go", "build", "-trimpath", "-buildvcs=false",
             "-ldflags", "-s -w -X 'github.com/git-trace/git-trace/version.Number=#{version} (@COMMIT@)'",
             "-o", bin/program, "./cmd/#{program}"
    end
    man1.install Dir["docs/man/man1/*.1"]
    bash_completion.install "cmd/git-trace/completion/git-trace.bash" => "git-trace"
    zsh_completion.install "cmd/git-trace/completion/_git-trace"
    (share/"fish/vendor_conf.d").install "cmd/git-trace/completion/git-trace.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/git-trace --version")
    system "git", "init", "-q", "."
    assert_match "no conversation is recorded", shell_output("#{bin}/git-trace log 2>&1", 0)
  end
end
