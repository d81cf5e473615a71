# The formula for Homebrew. The checksum is that of the source archive of the tag; the release workflow shows it in its summary.
class Nearprint < Formula
  desc "Find and remove near-duplicate texts, with the reason for every removal"
  homepage "https://github.com/nearprint/nearprint"
  url "https://github.com/nearprint/nearprint/archive/refs/tags/v0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license any_of: ["MIT", "Apache-2.0"]
  head "https://github.com/nearprint/nearprint.git", branch: "main"

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args(path: "crates/nearprint-cli")
    generate_completions_from_executable(bin/"nearprint", "completions", shells: [:bash, :zsh, :fish])
    system bin/"nearprint", "man", "--output", man1
    pkgshare.install "examples"
    doc.install "crates/nearprint-python/THIRD-PARTY.txt"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/nearprint --version")
    cp pkgshare/"examples/articles.jsonl", testpath
    system bin/"nearprint", "dedup", "articles.jsonl", "--output", "clean"
    assert_equal 54, (testpath/"clean/kept/articles.jsonl").readlines.length
  end
end
